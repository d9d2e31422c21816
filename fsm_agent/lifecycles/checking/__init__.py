"""The model check: all machines together, walked on their tables.

joint    the states together, and the facts that questions are answered from
facts    which answers a question can have in one of them
product  each way an input can go
walk     every joint state that can be reached, and the properties that hold in all
"""
